import { CountBadge } from "@perya/ui/badge";
import { useText } from "../../shell/text.ts";

/**
 * The number of unread notices; nothing at zero, where its sentence is not even made: a browser
 * loads plural rules when first asked, which would delay the first screen.
 */
export function UnreadBadge({ count }: { count: number }) {
  const { t } = useText();
  if (count <= 0) return null;
  return <CountBadge count={count} label={t("notice.unread_count", { count })} />;
}
