import { GamesIcon } from "@perya/ui/icon";
import { SideMenu } from "@perya/ui/side-menu";
import { VendorIcon } from "../../parts/games/vendor-icon.tsx";
import type { VendorSorting } from "../../parts/games/vendors.ts";
import { useText } from "../../shell/text.ts";

const ALL = "ALL";

/** All vendors of a type beside their games; `undefined` stands for all of them. */
export function VendorMenu(props: {
  vendors: VendorSorting["vendorNames"];
  value: string | undefined;
  onChoose: (vassalage: string | undefined) => void;
}) {
  const { t } = useText();
  return (
    <SideMenu
      label={t("games.providers")}
      moreLabel={t("games.more_providers")}
      value={props.value ?? ALL}
      choices={[
        {
          value: ALL,
          label: t("games.all_short"),
          icon: <GamesIcon size={28} />,
        },
        ...props.vendors.map(({ vassalage, displayName }) => ({
          value: vassalage,
          label: displayName,
          icon: <VendorIcon vassalage={vassalage} size={32} />,
        })),
      ]}
      onValueChange={(value) => props.onChoose(value === ALL ? undefined : value)}
    />
  );
}
