import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useEffect, useRef } from "react";
import { Button, IconButton } from "./button.tsx";
import { classNames } from "./class-names.tsx";
import { CloseIcon } from "./icon.tsx";
import styles from "./sheet.module.css";

/**
 * All popups are controlled: the address says whether one is open, so that Back closes it. Base UI
 * keeps the focus inside, gives it back on closing, and closes on Escape and on the mask.
 */
export interface PopupProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  closeLabel: string;
  children: ReactNode;
  /** Stays in sight below the scrolling body: the actions. */
  footer?: ReactNode;
  /** The title names the popup but is not drawn (an illustration replaces it). */
  titleHidden?: boolean | undefined;
  className?: string | undefined;
}

/** Rises from the bottom edge: the common popup of a phone. */
export function Sheet(props: PopupProps) {
  return <Frame {...props} look={styles.sheet} grip />;
}

/** Zooms in at the centre: announcements, log-in, results. */
export function Popup(props: PopupProps) {
  return <Frame {...props} look={styles.popup} />;
}

/** A side menu, by default from the reading-start edge. */
export function SideDrawer({ side = "start", ...props }: PopupProps & { side?: "start" | "end" }) {
  return <Frame {...props} look={classNames(styles.drawer, side === "end" && styles.end)} />;
}

const OPEN_MARK = "popup-on";
let openPopups = 0;

/** The body has a mark while any popup is open (specification, accounts §2.2). */
function useOpenMark(open: boolean): void {
  useEffect(() => {
    if (!open) return undefined;
    openPopups++;
    document.body.classList.add(OPEN_MARK);
    // Even where the whole page goes, as when the site closes.
    return () => {
      openPopups--;
      document.body.classList.toggle(OPEN_MARK, openPopups > 0);
    };
  }, [open]);
}

function Frame(props: PopupProps & { look: string | undefined; grip?: boolean }) {
  const { open, onOpenChange, title, closeLabel, children, footer, titleHidden, look } = props;
  useOpenMark(open);
  // The popup itself takes the focus: no keyboard jumps up, and no button looks pre-chosen.
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Dialog.Portal>
        {/* A popup over another dims that one too. */}
        <Dialog.Backdrop className={styles.scrim} forceRender />
        <Dialog.Popup
          ref={popup}
          initialFocus={popup}
          className={classNames(styles.surface, look, props.className)}
        >
          {props.grip && <div className={styles.grip} aria-hidden="true" />}
          <div className={styles.head}>
            <Dialog.Title className={styles.title}>
              {titleHidden ? <span className="visually-hidden">{title}</span> : title}
            </Dialog.Title>
            <Dialog.Close
              render={
                <IconButton label={closeLabel}>
                  <CloseIcon size={22} />
                </IconButton>
              }
            />
          </div>
          <div className={styles.body}>{children}</div>
          {footer !== undefined && <div className={styles.foot}>{footer}</div>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

export interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  children?: ReactNode;
  confirmLabel: ReactNode;
  /** Without it only one button exists: a prompt to acknowledge. */
  cancelLabel?: ReactNode;
  onConfirm: () => void;
  tone?: "primary" | "danger" | undefined;
  loading?: boolean | undefined;
}

/** A question that must be answered: the mask does not close it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onOpenChange, title, children, confirmLabel, cancelLabel, onConfirm } = props;
  useOpenMark(open);
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.scrim} forceRender />
        <AlertDialog.Popup className={classNames(styles.surface, styles.popup, styles.confirm)}>
          <AlertDialog.Title className={styles.title}>{title}</AlertDialog.Title>
          {children !== undefined && (
            <AlertDialog.Description render={<div />} className={styles.confirmText}>
              {children}
            </AlertDialog.Description>
          )}
          <div className={styles.actions}>
            {cancelLabel !== undefined && (
              <AlertDialog.Close render={<Button variant="secondary">{cancelLabel}</Button>} />
            )}
            <Button variant={props.tone ?? "primary"} loading={props.loading} onClick={onConfirm}>
              {confirmLabel}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
