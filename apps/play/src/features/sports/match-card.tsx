import type { SportsFixture } from "@perya/contract/sports";
import { MARKETS } from "@perya/games/sports";
import { Badge } from "@perya/ui/badge";
import { notify } from "@perya/ui/notify";
import { Countdown } from "../../parts/time/countdown.tsx";
import { useText } from "../../shell/text.ts";
import { OddsButton } from "./odds-button.tsx";
import { useSelectionText } from "./selection-text.ts";
import { isSame, LEGS_MAX, tapped, useSlip } from "./slip.ts";
import styles from "./sports-screen.module.css";

type OfferedMarket = SportsFixture["markets"][number];

/** One match: its score and its odds, those on its winner in sight. */
export function MatchCard({ fixture }: { fixture: SportsFixture }) {
  const { t } = useText();
  const { home, away, phase, score, suspended, markets } = fixture;
  const [first, ...more] = markets;
  const begun = phase === "live" || phase === "over";
  return (
    <article className={styles.match} data-testid="match" data-phase={phase}>
      <div className={styles.between}>
        <Standing fixture={fixture} />
        {suspended && <Badge tone="warn">{t("sports.suspended")}</Badge>}
      </div>
      <h3 className={styles.teams}>
        <span className="visually-hidden">
          {begun
            ? t("sports.score", { home, away, homeScore: score.home, awayScore: score.away })
            : `${home}, ${away}`}
        </span>
        {(["home", "away"] as const).map((side) => (
          <span key={side} className={styles.team} aria-hidden="true">
            <span>{fixture[side]}</span>
            {begun && <b>{score[side]}</b>}
          </span>
        ))}
      </h3>
      {first !== undefined && <MarketGroup fixture={fixture} markets={[first]} />}
      {first === undefined && phase === "live" && !suspended && (
        <p className={styles.note}>{t("sports.no_markets")}</p>
      )}
      {more.length > 0 && (
        <details>
          <summary className={styles.summary}>{t("sports.more")}</summary>
          <div className={styles.rows}>
            {(["total", "handicap"] as const).map((kind) => {
              const own = more.filter(({ market }) => MARKETS[market].kind === kind);
              return own.length > 0 && <MarketGroup key={kind} fixture={fixture} markets={own} />;
            })}
          </div>
        </details>
      )}
    </article>
  );
}

function Standing({ fixture }: { fixture: SportsFixture }) {
  const { t } = useText();
  const { sport, phase, tick, score, startsAt } = fixture;
  if (phase === "voided") return <Badge tone="warn">{t("sports.voided")}</Badge>;
  if (phase === "over") return <Badge>{t("sports.over")}</Badge>;
  if (phase === "next") {
    return (
      <span className={styles.note}>
        {t("sports.starts")} <Countdown until={startsAt} />
      </span>
    );
  }
  const at =
    sport === "football"
      ? t("sports.minute", { minute: tick })
      : t("sports.map", { map: score.home + score.away + 1 });
  return (
    <span className={styles.standing}>
      <Badge tone="hot">{t("sports.live")}</Badge>
      <span className={styles.timer}>{at}</span>
    </span>
  );
}

/** Markets of one kind, which differ by their lines. */
function MarketGroup(props: { fixture: SportsFixture; markets: readonly OfferedMarket[] }) {
  const { fixture, markets } = props;
  const { marketText } = useSelectionText();
  const [first] = markets;
  return (
    <fieldset>
      <legend className={styles.note}>
        {first !== undefined && marketText(fixture, first.market)}
      </legend>
      {markets.map((market) => (
        <MarketRow key={market.market} fixture={fixture} market={market} />
      ))}
    </fieldset>
  );
}

function MarketRow({ fixture, market }: { fixture: SportsFixture; market: OfferedMarket }) {
  const { t } = useText();
  const { selectionText } = useSelectionText();
  const legs = useSlip(({ legs: taken }) => taken);
  return (
    <div className={styles.odds}>
      {market.selections.map(({ selection, odds }) => {
        const { id, sport, home, away } = fixture;
        const leg = { fixtureId: id, market: market.market, selection };
        return (
          <OddsButton
            key={selection}
            label={selectionText(fixture, market.market, selection)}
            odds={odds}
            chosen={legs.some((one) => isSame(one, leg))}
            onTap={() => {
              const seen = { sport, home, away, odds, now: odds };
              const next = tapped(useSlip.getState(), { ...leg, ...seen });
              if (typeof next !== "string") useSlip.setState(next, true);
              else notify.info(t(`sports.${next}`, { count: LEGS_MAX }));
            }}
          />
        );
      })}
    </div>
  );
}
