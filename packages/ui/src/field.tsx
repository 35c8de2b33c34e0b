import { type ComponentPropsWithRef, type ReactNode, useId, useState } from "react";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.tsx";
import styles from "./field.module.css";
import { ExpandIcon, HideIcon, ShowIcon } from "./icon.tsx";

export interface FieldTexts {
  label: ReactNode;
  hint?: ReactNode;
  /** The errors in the reader's language; several are joined by a comma. */
  errors?: readonly string[] | string | undefined;
}

/** The props that connect a control to its field. */
interface ControlProps {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
}

interface FieldProps extends FieldTexts {
  className?: string | undefined;
  children: (control: ControlProps) => ReactNode;
}

/** Label, control, hint and error in one; for a control of the caller's own. */
function Field({ label, hint, errors, className, children }: FieldProps) {
  const id = useId();
  const error = joinErrors(errors);
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const errorId = error === "" ? undefined : `${id}-error`;
  const described = [errorId, hintId].filter((one) => one !== undefined).join(" ");
  return (
    <div className={classNames(styles.field, className)}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        ...(described === "" ? {} : { "aria-describedby": described }),
        ...(error === "" ? {} : { "aria-invalid": true }),
      })}
      {/* The region exists while empty, so that a screen reader announces its text. */}
      <div id={`${id}-error`} className={styles.error} aria-live="polite" hidden={error === ""}>
        {error}
      </div>
      {hint !== undefined && (
        <div id={hintId} className={styles.hint}>
          {hint}
        </div>
      )}
    </div>
  );
}

export function joinErrors(errors: FieldTexts["errors"]): string {
  if (errors === undefined) return "";
  return typeof errors === "string" ? errors : errors.filter((one) => one !== "").join(", ");
}

type InputProps = Omit<ComponentPropsWithRef<"input">, "id" | "className" | "size">;

export interface TextFieldProps extends FieldTexts, InputProps {
  leading?: ReactNode;
  /** Buttons at the end: clear, send code. */
  trailing?: ReactNode;
}

/** Spread react-hook-form's `register(name)` into it: `ref` goes to the input. */
export function TextField(props: TextFieldProps) {
  const { label, hint, errors, leading, trailing, ...input } = props;
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(control) => (
        <div className={styles.box}>
          {leading !== undefined && <span className={styles.lead}>{leading}</span>}
          <input type="text" {...input} {...control} className={styles.control} />
          {trailing !== undefined && <span className={styles.trail}>{trailing}</span>}
        </div>
      )}
    </Field>
  );
}

export interface TextAreaFieldProps
  extends FieldTexts,
    Omit<ComponentPropsWithRef<"textarea">, "id" | "className"> {}

export function TextAreaField(props: TextAreaFieldProps) {
  const { label, hint, errors, ...textarea } = props;
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(control) => (
        <div className={styles.box}>
          <textarea {...textarea} {...control} className={styles.control} />
        </div>
      )}
    </Field>
  );
}

export interface PasswordFieldProps extends Omit<TextFieldProps, "type" | "trailing"> {
  showLabel: string;
  hideLabel: string;
}

/** For codes and names, which no keyboard may change. */
export const AS_TYPED = { autoCapitalize: "none", autoCorrect: "off", spellCheck: false } as const;

/** Paste and password managers stay allowed; the toggle shows the typed text. */
export function PasswordField({ showLabel, hideLabel, ...text }: PasswordFieldProps) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? HideIcon : ShowIcon;
  const toggle = (
    <IconButton label={shown ? hideLabel : showLabel} onClick={() => setShown(!shown)}>
      <Icon size={20} />
    </IconButton>
  );
  return <TextField {...AS_TYPED} {...text} type={shown ? "text" : "password"} trailing={toggle} />;
}

interface QuickAmount {
  /** As typed into the field, such as `500`. */
  value: string;
  label: ReactNode;
}

export interface AmountFieldProps extends Omit<TextFieldProps, "type" | "leading"> {
  /** The currency's sign before the digits. */
  symbol: string;
  quickAmounts?: readonly QuickAmount[] | undefined;
  onQuickAmount?: ((value: string) => void) | undefined;
  quickLabel?: string | undefined;
}

export function AmountField(props: AmountFieldProps) {
  const { label, hint, errors, symbol, trailing, quickAmounts = [], ...more } = props;
  const { onQuickAmount, quickLabel, ...input } = more;
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(control) => (
        <>
          <div className={styles.box}>
            <span className={classNames(styles.lead, styles.amount)} aria-hidden="true">
              {symbol}
            </span>
            <input
              type="text"
              inputMode="decimal"
              autoComplete="off"
              {...input}
              {...control}
              className={classNames(styles.control, styles.amount)}
            />
            {trailing !== undefined && <span className={styles.trail}>{trailing}</span>}
          </div>
          {quickAmounts.length > 0 && (
            <fieldset className={styles.quick} aria-label={quickLabel}>
              {quickAmounts.map((amount) => (
                <button
                  key={amount.value}
                  type="button"
                  className={styles.quickAmount}
                  aria-pressed={input.value === amount.value}
                  onClick={() => onQuickAmount?.(amount.value)}
                >
                  {amount.label}
                </button>
              ))}
            </fieldset>
          )}
        </>
      )}
    </Field>
  );
}

export interface CheckboxFieldProps extends Omit<InputProps, "type"> {
  label: ReactNode;
  errors?: FieldTexts["errors"];
}

export function CheckboxField({ label, errors, ...input }: CheckboxFieldProps) {
  const id = useId();
  const error = joinErrors(errors);
  return (
    <div>
      <label className={styles.check}>
        <input
          {...input}
          type="checkbox"
          className={styles.checkbox}
          {...(error === "" ? {} : { "aria-invalid": true, "aria-describedby": id })}
        />
        <span>{label}</span>
      </label>
      <div id={id} className={styles.error} aria-live="polite" hidden={error === ""}>
        {error}
      </div>
    </div>
  );
}

interface SelectOption {
  value: string;
  label: string;
}

export interface SelectFieldProps
  extends FieldTexts,
    Omit<ComponentPropsWithRef<"select">, "id" | "className"> {
  options: readonly SelectOption[];
}

/** The phone's own picker: nothing drawn in a page is as good with a thumb. */
export function SelectField({ label, hint, errors, options, ...select }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(control) => (
        <div className={styles.box}>
          <select {...select} {...control} className={styles.control}>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
          <ExpandIcon className={styles.chevron} size={20} />
        </div>
      )}
    </Field>
  );
}
