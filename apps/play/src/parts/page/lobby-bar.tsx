import { MoneyText } from "@perya/ui/money-text";
import { PageTitleBar } from "@perya/ui/page-title-bar";
import { useOwnTitle } from "../../shell/page-head.ts";
import { useText } from "../../shell/text.ts";
import { useWallet } from "../money/wallet.ts";
import { useGoBack } from "./header.tsx";
import styles from "./lobby-bar.module.css";

/** The bar of our own lobbies: back, the title, which is the page's too, and the balance. */
export function LobbyBar({ title }: { title: string }) {
  const { t } = useText();
  const goBack = useGoBack(undefined);
  const { data: wallet } = useWallet();
  useOwnTitle(title);
  const balance = wallet !== undefined && (
    <span className={styles.balance} data-testid="balance">
      <span className="visually-hidden">{t("games.balance")} </span>
      <MoneyText value={wallet.available} />
    </span>
  );
  return (
    <PageTitleBar title={title} backLabel={t("shell.back")} onBack={goBack} actions={balance} />
  );
}
