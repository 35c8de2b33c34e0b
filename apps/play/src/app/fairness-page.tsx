import { type ComponentType, lazy, Suspense } from "react";
import { ScreenLoading } from "../parts/page/screen-states.tsx";
import { EmptyScene } from "../parts/pictures/empty-art.tsx";
import { useText, withTexts } from "../shell/text.ts";

type Screen = { readonly default: ComponentType };

/** The screen comes with the games; a build without them says so. */
const [load] = Object.values(import.meta.glob<Screen>("../features/fairness/fairness-screen.tsx"));
const FairnessScreen = load === undefined ? null : lazy(() => withTexts("fairness", load()));

export default function FairnessPage() {
  const { t } = useText();
  if (FairnessScreen === null) {
    return (
      <EmptyScene
        scene="maintenance"
        title={t("shell.unavailable")}
        text={t("shell.unavailable_text")}
      />
    );
  }
  return (
    <Suspense fallback={<ScreenLoading />}>
      <FairnessScreen />
    </Suspense>
  );
}
