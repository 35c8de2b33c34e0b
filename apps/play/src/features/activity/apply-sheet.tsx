import { APPLICATIONS_KEY } from "@perya/client/screen-queries/promotions";
import { REMARK_MAX } from "@perya/contract/promotion-rules";
import { Button } from "@perya/ui/button";
import { TextAreaField } from "@perya/ui/field";
import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { useId, useState } from "react";
import { lengthOf, startOf } from "../../parts/forms/text-length.ts";
import type { Promotion } from "../../parts/promotions/promotions.ts";
import { CommandState, useCommand } from "../../shell/command.tsx";
import { sayFault } from "../../shell/fault.ts";
import { queryClient } from "../../shell/server.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import styles from "./apply-sheet.module.css";
import { PictureField } from "./picture-field.tsx";
import { usePictures } from "./use-pictures.ts";

interface ApplySheetProps {
  open: boolean;
  close: () => void;
  promotion: Promotion;
}

/** Applies for a promotion, with an optional remark and optional pictures. */
export function ApplySheet({ open, close, promotion }: ApplySheetProps) {
  const { t } = useText();
  const form = useId();
  const pictures = usePictures();
  const [remark, setRemark] = useState("");
  const reread = () => void queryClient.invalidateQueries({ queryKey: APPLICATIONS_KEY });
  const { view, send } = useCommand("POST /api/v1/promotions/applications", {
    purpose: promotion.id,
    onDone: () => {
      notify.success(t("activity.sent"), TOAST_MS.sent);
      if (open) close();
      setRemark("");
      pictures.clear();
      reread();
    },
    onRefused: (error) => {
      sayFault(error);
      // Another phone may have sent an application first.
      reread();
    },
  });
  const submit = () => send({ promotionId: promotion.id, remark, images: [...pictures.sentIds] });
  return (
    <Sheet
      open={open}
      close={close}
      title={t("activity.apply_title")}
      footer={
        <Button
          type="submit"
          form={form}
          size="lg"
          block
          disabled={pictures.underWay}
          loading={view.phase !== "rest"}
        >
          {t("activity.send")}
        </Button>
      }
    >
      <form
        id={form}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p className={styles.title}>{promotion.title}</p>
        <PictureField pictures={pictures} />
        <TextAreaField
          label={t("activity.remark")}
          rows={3}
          value={remark}
          onChange={({ target }) => setRemark(startOf(target.value, REMARK_MAX))}
          hint={`${lengthOf(remark)}/${REMARK_MAX}`}
        />
        <CommandState view={view} />
      </form>
    </Sheet>
  );
}
