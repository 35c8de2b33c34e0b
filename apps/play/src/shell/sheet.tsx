import * as ui from "@perya/ui/sheet";
import { useText } from "./text.ts";

type Closable<Props> = Omit<Props, "onOpenChange" | "closeLabel"> & { close: () => void };

/** The popups of `ui`, which only ask to be closed, with the text of their button for that. */
export function Sheet(props: Closable<ui.PopupProps>) {
  return <ui.Sheet {...useClosing(props)} />;
}

export function Popup(props: Closable<ui.PopupProps>) {
  return <ui.Popup {...useClosing(props)} />;
}

export function SideDrawer(props: Closable<Parameters<typeof ui.SideDrawer>[0]>) {
  return <ui.SideDrawer {...useClosing(props)} />;
}

function useClosing<Props extends { close: () => void }>({ close, ...props }: Props) {
  return { ...props, onOpenChange: () => close(), closeLabel: useText().t("shell.close") };
}
