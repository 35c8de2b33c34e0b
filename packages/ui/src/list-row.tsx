import type { ReactNode } from "react";
import { ForwardIcon } from "./icon.tsx";
import styles from "./list-row.module.css";
import type { RenderLink } from "./render-link.tsx";

export interface ListRowProps {
  leading?: ReactNode;
  title: ReactNode;
  detail?: ReactNode;
  trailing?: ReactNode;
  /** Makes the row a button. */
  onClick?: (() => void) | undefined;
  /** Makes the row a link: `(props) => <Link to="…" {...props} />`. */
  link?: RenderLink | undefined;
}

export function ListRow(props: ListRowProps) {
  const { leading, title, detail, trailing, onClick, link } = props;
  const leads = onClick !== undefined || link !== undefined;
  const content = (
    <>
      {leading !== undefined && <span className={styles.leading}>{leading}</span>}
      <span className={styles.texts}>
        <span className={styles.title}>{title}</span>
        {detail !== undefined && <span className={styles.detail}>{detail}</span>}
      </span>
      {trailing !== undefined && <span className={styles.trailing}>{trailing}</span>}
      {leads && <ForwardIcon className={styles.chevron} size={18} />}
    </>
  );
  const className = styles.row ?? "";
  if (link !== undefined) return link({ className, children: content });
  if (onClick !== undefined) {
    return (
      <button type="button" className={className} onClick={onClick}>
        {content}
      </button>
    );
  }
  return <div className={className}>{content}</div>;
}
