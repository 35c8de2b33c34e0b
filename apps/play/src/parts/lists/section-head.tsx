import { ForwardIcon } from "@perya/ui/icon";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import styles from "./section-head.module.css";

export function SectionHead(props: {
  id: string;
  title: ReactNode;
  more?: { to: NonNullable<LinkProps["to"]>; label: string } | undefined;
}) {
  const { id, title, more } = props;
  return (
    <div className={styles.head}>
      <h2 id={id} className={styles.title}>
        {title}
      </h2>
      {more !== undefined && (
        <Link to={more.to} className={styles.more} aria-describedby={id}>
          {more.label}
          <ForwardIcon size={16} />
        </Link>
      )}
    </div>
  );
}
