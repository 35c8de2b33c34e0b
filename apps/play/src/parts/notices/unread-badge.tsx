import { CountBadge } from "@perya/ui/badge";
import { useText } from "../../shell/text.ts";

/**
 * How many notices are unread; nothing at zero. Its sentence is not even made then: the rules of
 * the plural, which a browser loads when first asked, would hold up the first screen.
 */
export function UnreadBadge({ count }: { count: number }) {
  const { t } = useText();
  if (count <= 0) return null;
  return <CountBadge count={count} label={t("notice.unread_count", { count })} />;
}
