import { Popover } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";
import { useRef, useState } from "react";
import styles from "./small-popup.module.css";

/** How long after the mouse or the focus left a small popup closes, in ms (games §4). */
const LEAVE_MS = { hover: 100, focus: 150 } as const;

export interface SmallPopupProps {
  /** What opens it besides a tap: the mouse over it, or the focus on it. */
  opensOn?: "click" | "hover" | "focus";
  label: string;
  trigger: ReactElement<Record<string, unknown>>;
  children: ReactNode;
}

/**
 * A few words or links attached to a button, over the page. A tap outside closes it at once; a
 * focus that moves elsewhere closes it a moment later.
 */
export function SmallPopup({ opensOn = "click", label, trigger, children }: SmallPopupProps) {
  const [open, setOpen] = useState(false);
  const leaving = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const stay = () => clearTimeout(leaving.current);
  const leave = () => {
    stay();
    leaving.current = setTimeout(() => setOpen(false), LEAVE_MS.focus);
  };
  const opensOnFocus = opensOn === "focus";
  const focused = () => {
    stay();
    if (opensOnFocus) setOpen(true);
  };
  const change = (wanted: boolean, { reason }: Popover.Root.ChangeEventDetails) => {
    if (reason === "focus-out") return leave();
    // The press that brought the focus has opened it already.
    if (opensOnFocus && reason === "trigger-press") return setOpen(true);
    stay();
    setOpen(wanted);
  };
  return (
    <Popover.Root open={open} onOpenChange={change}>
      <Popover.Trigger
        render={trigger}
        openOnHover={opensOn === "hover"}
        delay={0}
        closeDelay={LEAVE_MS.hover}
        onFocus={focused}
        onBlur={leave}
      />
      <Popover.Portal>
        <Popover.Positioner side="top" align="end" sideOffset={8} className={styles.place}>
          <Popover.Popup
            aria-label={label}
            className={styles.popup}
            initialFocus={opensOn === "click"}
            onFocus={stay}
            onBlur={leave}
          >
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
