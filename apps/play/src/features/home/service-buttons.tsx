import { IconButton } from "@perya/ui/button";
import { SupportIcon } from "@perya/ui/icon";
import { SmallPopup } from "@perya/ui/small-popup";
import { RoundLinks } from "../../parts/brand/round-links.tsx";
import { socialLinks } from "../../parts/brand/service-contacts.ts";
import { useContacts } from "../../parts/brand/service-links.ts";
import { useText } from "../../shell/text.ts";
import styles from "./floating-buttons.module.css";

/** A button for each social page and for the chat, and one for the brand's contact people. */
export default function ServiceButtons(props: {
  resources: Parameters<typeof socialLinks>[0];
  chat: boolean;
  people: boolean;
}) {
  const { resources, chat, people } = props;
  const { t } = useText();
  return (
    <>
      {people && (
        <SmallPopup
          opensOn="hover"
          label={t("auth.services")}
          trigger={
            <IconButton label={t("auth.services")} className={styles.service}>
              <SupportIcon size={22} />
            </IconButton>
          }
        >
          <People />
        </SmallPopup>
      )}
      <RoundLinks links={socialLinks(resources)} chat={chat} />
    </>
  );
}

/** Asks for the contacts when the popup opens, so that home need not. */
function People() {
  const { t } = useText();
  const links = useContacts("home");
  return (
    <nav className={styles.links} aria-label={t("auth.services")}>
      {links.map(({ title, url }) => (
        <a key={url} href={url} target="_blank" rel="noreferrer">
          <SupportIcon size={20} />
          {title}
        </a>
      ))}
    </nav>
  );
}
