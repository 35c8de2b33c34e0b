import { useQuery } from "@tanstack/react-query";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useText } from "../../shell/text.ts";
import { NoticePage } from "./notice-screen.tsx";

export default function AgentNoticeScreen() {
  const { language } = useText();
  return <NoticePage notices={useQuery(screenQueries.agentNotices(language))} index={undefined} />;
}
