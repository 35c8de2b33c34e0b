import type { GameList } from "@perya/contract/game-lists";
import { Button } from "@perya/ui/button";
import { ChipRow } from "@perya/ui/chip-row";
import { SelectField, TextField } from "@perya/ui/field";
import { currencySymbol } from "@perya/ui/money-text";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { VendorSorting } from "../../parts/games/vendors.ts";
import { queries } from "../../shell/server.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { type MessageId, useText } from "../../shell/text.ts";
import { decimalOnly, wholeDecimal } from "./decimal-only.ts";
import styles from "./filter-sheet.module.css";
import { useVendorGameTypes } from "./use-vendor-game-types.ts";
import { countOf, offerOf, selectionsOf } from "./vendor-offer.ts";

/** The filter panel's values; an empty text does not narrow. */
export interface Filters {
  readonly vassalage: string;
  readonly name: string;
  readonly type: string;
  readonly minBet: string;
}

const NAME_MAX = 60;
const NO_FILTERS: Filters = { vassalage: "", name: "", type: "", minBet: "" };
/** Classifications with a translated name; others show as the operator wrote them. */
const CLASS_LABELS: Readonly<Record<string, MessageId>> = {
  "": "games.all_short",
  NEW: "games.new",
  HOT: "games.hot_short",
  FAV: "games.favourites",
  RECENT: "games.recent",
  ROU: "games.class_ROU",
  BAC: "games.class_BAC",
  BJ: "games.class_BJ",
  DT: "games.class_DT",
  SB: "games.class_SB",
  POK: "games.class_POK",
  VIDEO: "games.class_VIDEO",
  CLASSIC: "games.class_CLASSIC",
  JACKPOT: "games.class_JACKPOT",
  MEGA: "games.class_MEGA",
  TABLE: "games.class_TABLE",
  CRASH: "games.class_CRASH",
  CARD: "games.class_CARD",
  TILE: "games.class_TILE",
  FISH: "type.FISH",
  SPORT: "type.SPORTS",
  ESPORT: "type.ESPORTS",
  SABONG: "type.COCKFIGHT",
  TRAD: "games.class_TRAD",
  ENT: "games.class_ENT",
};

/**
 * Vendor, name, classification and smallest bet; nothing changes until the player applies them. A
 * vendor narrows the classifications to those of its games. The panel does not offer what the
 * list's path fixes.
 */
export function FilterSheet(props: {
  open: boolean;
  close: () => void;
  vendors: VendorSorting["vendorNames"];
  list: GameList;
  filters: Filters;
  onApply: (filters: Filters) => void;
}) {
  const { open, close, vendors, list, filters, onApply } = props;
  const { t } = useText();
  const form = useId();
  const [draft, setDraft] = useState({
    ...filters,
    ...(list.vendor === undefined ? {} : { vassalage: "" }),
    ...(list.classify === undefined ? {} : { type: "" }),
  });
  const { data: status } = useQuery(queries.status());
  const set = (change: Partial<Filters>) => setDraft({ ...draft, ...change });
  const vendor = list.vendor ?? draft.vassalage;
  const ofVendor = useVendorGameTypes(vendor === "" ? undefined : vendor);
  const offer = ofVendor && offerOf(ofVendor, list.gameType);
  const classes = vendors.flatMap(({ gameClassify }) => gameClassify.map(({ key }) => key));
  const selections = selectionsOf(offer, classes);
  // Another vendor's classification is no longer offered.
  const type = offer === undefined || selections.includes(draft.type) ? draft.type : "";
  return (
    <Sheet
      open={open}
      close={close}
      title={t("games.filter")}
      footer={
        <div className={styles.actions}>
          <Button variant="secondary" size="lg" onClick={() => onApply(NO_FILTERS)}>
            {t("games.clear_filters")}
          </Button>
          <Button type="submit" form={form} size="lg">
            {t("games.apply_filters")}
          </Button>
        </div>
      }
    >
      <form
        id={form}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const { name, minBet } = draft;
          onApply({ ...draft, type, name: name.trim(), minBet: wholeDecimal(minBet) });
        }}
      >
        <TextField
          label={t("games.search_placeholder")}
          type="search"
          maxLength={NAME_MAX}
          autoComplete="off"
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
        />
        {list.vendor === undefined && (
          <SelectField
            label={t("games.provider")}
            value={draft.vassalage}
            options={[
              { value: "", label: t("games.all_providers") },
              ...vendors.map((one) => ({ value: one.vassalage, label: one.displayName })),
            ]}
            onChange={(event) => set({ vassalage: event.target.value })}
          />
        )}
        {list.classify === undefined && (
          <div className={styles.classes}>
            <span className={styles.label} aria-hidden="true">
              {t("games.classification")}
            </span>
            <ChipRow
              label={t("games.classification")}
              value={type}
              choices={selections.map((value) => ({
                value,
                label: <ClassLabel name={value} count={countOf(offer, value)} />,
              }))}
              onValueChange={(chosen) => set({ type: chosen })}
            />
          </div>
        )}
        <TextField
          label={t("games.min_bet_at_most")}
          inputMode="decimal"
          autoComplete="off"
          leading={status === undefined ? "" : currencySymbol(status.info)}
          value={draft.minBet}
          onChange={(event) => set({ minBet: decimalOnly(event.target.value) })}
        />
      </form>
    </Sheet>
  );
}

function ClassLabel({ name, count }: { name: string; count: number | undefined }) {
  const { t } = useText();
  const label = CLASS_LABELS[name];
  const text = label === undefined ? name : t(label);
  if (count === undefined) return text;
  return (
    <>
      {text} <span className={styles.count}>{count}</span>
    </>
  );
}
