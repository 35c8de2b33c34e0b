import { freshId } from "@perya/client/ids";
import { APPLICATIONS_KEY } from "@perya/client/queries";
import { ApiRefusal } from "@perya/client/refused";
import { REMARK_MAX } from "@perya/contract/promotion-rules";
import type { Id } from "@perya/kernel/ids";
import { Button } from "@perya/ui/button";
import { TextAreaField } from "@perya/ui/field";
import { Sheet } from "@perya/ui/sheet";
import { TOAST_MS } from "@perya/ui/toast-times";
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { Promotion } from "../../parts/promotions.ts";
import { sayFault } from "../../shell/fault.ts";
import { notify } from "../../shell/notify.ts";
import { api, queryClient } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./apply-sheet.module.css";
import { PictureField } from "./picture-field.tsx";
import { usePictures } from "./use-pictures.ts";

interface ApplySheetProps {
  open: boolean;
  close: () => void;
  promotion: Promotion;
}

/** Asks for a promotion: a remark and pictures, both as the player likes. */
export function ApplySheet({ open, close, promotion }: ApplySheetProps) {
  const { t } = useText();
  const form = useId();
  const pictures = usePictures();
  const [remark, setRemark] = useState("");
  const [tried, setTried] = useState<Tried | null>(null);
  const send = useMutation({
    mutationFn: (wanted: Tried) =>
      api.call("POST /api/v1/promotions/applications", {
        body: { id: wanted.id, promotionId: promotion.id, remark, images: [...wanted.images] },
      }),
    onSuccess: () => {
      notify.success(t("activity.sent"), TOAST_MS.sent);
      close();
      setRemark("");
      setTried(null);
      pictures.clear();
      void queryClient.invalidateQueries({ queryKey: APPLICATIONS_KEY });
    },
    onError: (error) => {
      sayFault(error);
      // Another application may have come first, from another phone.
      if (!(error instanceof ApiRefusal)) return;
      setTried(null);
      void queryClient.invalidateQueries({ queryKey: APPLICATIONS_KEY });
    },
  });
  const submit = () => {
    const wanted = triedAgain(tried, remark, pictures.sentIds);
    setTried(wanted);
    send.mutate(wanted);
  };
  return (
    <Sheet
      open={open}
      onOpenChange={close}
      title={t("activity.apply_title")}
      closeLabel={t("shell.close")}
      footer={
        <Button
          type="submit"
          form={form}
          size="lg"
          block
          disabled={pictures.underWay}
          loading={send.isPending}
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
          maxLength={REMARK_MAX}
          value={remark}
          onChange={({ target }) => setRemark(target.value)}
          hint={`${remark.length}/${REMARK_MAX}`}
        />
      </form>
    </Sheet>
  );
}

interface Tried {
  readonly id: Id<"application">;
  readonly remark: string;
  readonly images: readonly string[];
}

/** The same words keep their id, so that a try whose answer was lost is not another application. */
function triedAgain(tried: Tried | null, remark: string, images: readonly string[]): Tried {
  const same = tried !== null && tried.remark === remark && tried.images.join() === images.join();
  return same ? tried : { id: freshId("application"), remark, images };
}
