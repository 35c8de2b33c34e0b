import { Art } from "./art.tsx";
import styles from "./flag.module.css";

/** Addresses of all flags; each picture loads only when it is seen. */
const FLAGS = import.meta.glob<string>("../../../../../node_modules/country-flag-icons/3x2/*.svg", {
  eager: true,
  query: "?url",
  import: "default",
});

const BY_CODE = new Map(
  Object.entries(FLAGS).map(([path, url]) => [path.slice(-"PH.svg".length, -".svg".length), url]),
);

/** A country's flag; a decoration, because its name is always beside it. */
export default function Flag({ code }: { code: string }) {
  const url = BY_CODE.get(code);
  if (url === undefined) return <span className={styles.flag} />;
  return <Art className={styles.flag} src={url} width={24} height={16} loading="lazy" />;
}
