import type { ComponentPropsWithRef, MouseEvent, ReactNode } from "react";
import styles from "./button.module.css";
import { classNames } from "./class-names.tsx";

type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";
type ButtonSize = "sm" | "md" | "lg";

export interface ButtonLook {
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  /** As wide as its container. */
  block?: boolean | undefined;
  /** The one glowing button of a screen; leave it off everywhere else. */
  glow?: boolean | undefined;
}

export interface ButtonProps extends ComponentPropsWithRef<"button">, ButtonLook {
  /** Shows a spinner, keeps size and focus, and swallows presses until it is false again. */
  loading?: boolean | undefined;
  icon?: ReactNode;
}

/** For a link that must look like a button: `<Link className={buttonClass({ … })}>`. */
export function buttonClass(look: ButtonLook = {}): string {
  const { variant = "primary", size = "md", block = false, glow = false } = look;
  return classNames(
    styles.button,
    styles[variant],
    size !== "md" && styles[size],
    block && styles.block,
    glow && styles.glow,
  );
}

/** Gold (`primary`) is for the one main action in sight; all others are secondary or ghost. */
export function Button(props: ButtonProps) {
  const { variant, size, block, glow, loading = false, icon, children, ...rest } = props;
  const className = classNames(
    buttonClass({ variant, size, block, glow }),
    loading && styles.busy,
    rest.className,
  );
  return (
    <button type="button" {...rest} {...pressGuard(loading, rest.onClick)} className={className}>
      <span className={styles.content}>
        {icon}
        {children}
      </span>
      {loading && <span className={styles.spinner} aria-hidden="true" />}
    </button>
  );
}

/** The main button of a form. */
export function SubmitButton(props: Omit<ButtonProps, "type" | "size" | "block">) {
  return <Button type="submit" size="lg" block glow {...props} />;
}

export interface IconButtonProps extends Omit<ComponentPropsWithRef<"button">, "aria-label"> {
  /** The button's action, for players who do not see the icon. */
  label: string;
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  children: ReactNode;
}

export function IconButton(props: IconButtonProps) {
  const { label, variant = "ghost", size, className, children, ...rest } = props;
  const look = classNames(buttonClass({ variant, size }), styles.icon, className);
  return (
    <button type="button" {...rest} aria-label={label} className={look}>
      {children}
    </button>
  );
}

/**
 * `disabled` would drop the focus in the middle of an action. `aria-disabled` keeps it, so presses
 * (and with them form submits) are blocked by hand.
 */
function pressGuard(loading: boolean, onClick: ButtonProps["onClick"]) {
  if (!loading) return {};
  return {
    "aria-busy": true,
    "aria-disabled": true,
    onClick: (event: MouseEvent<HTMLButtonElement>) => {
      event.preventDefault();
      if (onClick) event.stopPropagation();
    },
  };
}
