import { BRAND_PAGES } from "@perya/contract/brand-info";
import { FacebookIcon, InstagramIcon, TelegramIcon, WalletIcon } from "@perya/ui/icon";
import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { downloadLinks } from "../../parts/brand/download-links.ts";
import { typeLabel } from "../../parts/games/game-types.ts";
import { VendorIcon } from "../../parts/games/vendor-icon.tsx";
import type { VendorGroup } from "../../parts/games/vendors.ts";
import type { Gate } from "../../shell/access.ts";
import { useBrand } from "../../shell/page-head.ts";
import { queries } from "../../shell/server.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { useGate } from "../../shell/use-gate.ts";
import { useShows } from "../../shell/use-shows.ts";
import { VendorLink } from "./categories.tsx";
import { askForCategory } from "./category-menu.tsx";
import styles from "./home-footer.module.css";

const DEFAULT_AGE = 21;
/** Social pages with an icon in the footer; the networks' names are the same in every language. */
const SOCIAL = [
  { kind: "FACEBOOK", name: "Facebook", Icon: FacebookIcon },
  { kind: "TELEGRAM", name: "Telegram", Icon: TelegramIcon },
  { kind: "INSTAGRAM", name: "Instagram", Icon: InstagramIcon },
] as const;

/** The long footer of home: other pages, and the company behind the brand. */
export function HomeFooter({ categories }: { categories: readonly VendorGroup[] }) {
  const { t, language } = useText();
  const { data: status } = useQuery(queries.status());
  const info = status?.info;
  const age = info?.minimumAge ?? DEFAULT_AGE;
  const brand = useBrand();
  const licence = info?.licence[language] ?? info?.licence.EN;
  const vendors = categories.flatMap((category) =>
    category.vendors.map((vendor) => ({ type: category.type, vendor })),
  );
  return (
    <footer className={styles.footer}>
      <div className={styles.navs}>
        <Nav title="home.footer_casino">
          <Entry to="/m/rewardCenter" gate="session" text="shell.rewards" />
          <Entry to="/m/member/manualRebate" gate="session" text="shell.rebate" />
          <Entry to="/m/member/benefits" gate="session" text="shell.vip" />
          <Entry to="/m/leaderBoard" gate="session" text="shell.missions" />
          <Entry to="/m/activity" text="activity.title" />
        </Nav>
        <Nav title="home.footer_games">
          {categories.map(({ type }) => (
            <li key={type}>
              <Link
                to="/m/home"
                search={{ cat: type }}
                resetScroll={false}
                onClick={askForCategory}
              >
                {t(typeLabel(type))}
              </Link>
            </li>
          ))}
        </Nav>
        <Nav title="home.footer_support">
          <Entry to="/m/message" text="home.footer_service" />
          <Entry to="/m/feedback" text="feedback.title" />
          <li>
            <Link to="/m/help" search={{ tag: "faq" }} preload={false}>
              {t("help.faq")}
            </Link>
          </li>
          <Entry to="/m/fairness" text="shell.fairness" />
          {BRAND_PAGES.map((page) => (
            <BrandPage key={page} url={info?.paths[page]} text={`home.page_${page}`} />
          ))}
        </Nav>
      </div>
      <Social resources={info?.resources ?? []} />
      <div>
        <h2 className={styles.title}>{t("home.footer_vendors")}</h2>
        <ul className={styles.vendors}>
          {vendors.map(({ type, vendor }) => (
            <li key={`${type} ${vendor.vassalage}`}>
              <VendorLink type={type} vendor={vendor} label={vendor.displayName}>
                <VendorIcon vassalage={vendor.vassalage} size={28} />
              </VendorLink>
            </li>
          ))}
        </ul>
      </div>
      <div>
        <h2 className={styles.title}>{t("home.footer_payment")}</h2>
        <ul className={styles.payment}>
          {info?.paymentMethods.map((name) => (
            <li key={name}>
              <WalletIcon size={18} />
              {name}
            </li>
          ))}
        </ul>
      </div>
      <p>{t("home.about", { brand })}</p>
      <div className={styles.row}>
        <span className={styles.age} aria-hidden="true">
          {age}+
        </span>
        <p>
          {t("home.age_notice", { age })} {t("home.responsible")}
        </p>
      </div>
      {licence !== undefined && <p>{licence}</p>}
      <p className={styles.mark}>© {brand}</p>
    </footer>
  );
}

export function Social({ resources }: { resources: Parameters<typeof downloadLinks>[0] }) {
  const { t } = useText();
  const links = downloadLinks(resources);
  const shown = SOCIAL.filter(({ kind }) => links[kind] !== undefined);
  if (shown.length === 0) return null;
  return (
    <ul className={styles.social} aria-label={t("home.footer_social")}>
      {shown.map(({ kind, name, Icon }) => (
        <li key={kind}>
          <a href={links[kind]?.url} target="_blank" rel="noreferrer">
            <Icon size={18} />
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Nav({ title, children }: { title: MessageId; children: ReactNode }) {
  const { t } = useText();
  return (
    <nav aria-label={t(title)}>
      <h2 className={styles.title}>{t(title)}</h2>
      <ul className={styles.links}>{children}</ul>
    </nav>
  );
}

/** A page of the brand's own, outside the app; nothing where it has none. */
function BrandPage({ url, text }: { url: string | undefined; text: MessageId }) {
  const { t } = useText();
  if (url === undefined) return null;
  return (
    <li>
      <a href={url} target="_blank" rel="noreferrer">
        {t(text)}
      </a>
    </li>
  );
}

/** A link to a page; a player who may not see it gets the reason on the spot. */
function Entry(props: { to: NonNullable<LinkProps["to"]> & string; text: MessageId; gate?: Gate }) {
  const { t } = useText();
  const gate = useGate();
  const shows = useShows();
  if (!shows(props.to)) return null;
  const refusal = props.gate === undefined ? null : gate({ to: props.to, gate: props.gate });
  return (
    <li>
      <Link
        to={props.to}
        preload={false}
        onClick={(event) => {
          if (refusal === null) return;
          event.preventDefault();
          refusal();
        }}
      >
        {t(props.text)}
      </Link>
    </li>
  );
}
