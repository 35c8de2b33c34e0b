import { PICTURES_MAX } from "@perya/contract/promotion-rules";
import { IconButton } from "@perya/ui/button";
import { MoreIcon, RemoveIcon } from "@perya/ui/icon";
import { useId } from "react";
import { focusBeside } from "../../parts/browser/focus-beside.ts";
import { useText } from "../../shell/text.ts";
import styles from "./picture-field.module.css";
import type { Pictures } from "./use-pictures.ts";

/** The chosen pictures, and room for the next. */
export function PictureField({ pictures }: { pictures: Pictures }) {
  const { t } = useText();
  const id = useId();
  const { list, fault } = pictures;
  return (
    <fieldset className={styles.field} aria-describedby={`${id}-error ${id}-hint`}>
      <legend className={styles.label}>{t("activity.pictures")}</legend>
      <ul className={styles.list}>
        {list.map((picture, at) => {
          const position = at + 1;
          return (
            <li key={picture.id} className={styles.place} aria-busy={!picture.sent}>
              <img
                src={picture.url}
                alt={t(picture.sent ? "activity.picture" : "activity.picture_sending", {
                  position,
                })}
                className={styles.picture}
              />
              <IconButton
                label={t("activity.remove_picture", { position })}
                className={styles.remove}
                onClick={({ currentTarget }) => {
                  focusBeside(currentTarget);
                  pictures.remove(picture.id);
                }}
              >
                <RemoveIcon size={16} />
              </IconButton>
            </li>
          );
        })}
        {list.length < PICTURES_MAX && (
          <li className={styles.place}>
            <label className={styles.add}>
              <input
                type="file"
                accept="image/png,image/jpeg"
                multiple
                className="visually-hidden"
                onChange={({ target }) => {
                  void pictures.choose([...(target.files ?? [])]);
                  // So that the same file can be chosen again after it was removed.
                  target.value = "";
                }}
              />
              <MoreIcon size={22} />
              <span className="visually-hidden">{t("activity.add_picture")}</span>
            </label>
          </li>
        )}
      </ul>
      <div id={`${id}-error`} className={styles.error} aria-live="polite" hidden={fault === ""}>
        {fault}
      </div>
      <div id={`${id}-hint`} className="small-print">
        {t("activity.pictures_hint")}
      </div>
    </fieldset>
  );
}
