import { useQuery } from "@tanstack/react-query";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { NoticePage } from "./notice-screen.tsx";

/** What the brand tells its agents. */
export default function AgentNoticeScreen() {
  const { language } = useText();
  return <NoticePage notices={useQuery(queries.agentNotices(language))} index={undefined} />;
}
