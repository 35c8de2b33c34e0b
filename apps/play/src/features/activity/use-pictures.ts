import { freshId } from "@perya/client/ids";
import { useEffect, useRef, useState } from "react";
import { choosePictures, type PictureFault } from "../../parts/pictures/picture-choice.ts";
import { smallerPicture } from "../../parts/pictures/smaller-picture.ts";
import { faultText } from "../../shell/fault.ts";
import { api } from "../../shell/server.ts";
import { askerNow, type StillAsks } from "../../shell/session.ts";
import { type MessageId, useText } from "../../shell/text.ts";

interface ChosenPicture {
  readonly id: string;
  /** Of the file on this phone, while the form is open. */
  readonly url: string;
  readonly sent: boolean;
}

export interface Pictures {
  readonly list: readonly ChosenPicture[];
  readonly fault: string;
  /** Some pictures are still being sent. */
  readonly underWay: boolean;
  readonly sentIds: readonly string[];
  readonly choose: (files: readonly File[]) => Promise<void>;
  readonly remove: (id: string) => void;
  readonly clear: () => void;
}

const FAULTS: Readonly<Record<PictureFault, MessageId>> = {
  kind: "activity.picture_kind",
  size: "activity.picture_size",
  count: "activity.picture_count",
};

/** Pictures of a form, each sent as soon as it is chosen, and removed if the server refuses it. */
export function usePictures(): Pictures {
  const { t } = useText();
  const [list, setList] = useState<readonly ChosenPicture[]>([]);
  const [fault, setFault] = useState("");
  const urls = useRef<string[]>([]);
  useEffect(() => () => forget(urls.current), []);

  const remove = (id: string) => setList((old) => old.filter((one) => one.id !== id));

  const send = async (id: string, chosen: Blob, stillAsks: StillAsks) => {
    try {
      const file = await smallerPicture(chosen);
      // A player who logs in while the picture waits did not choose it.
      stillAsks("a picture");
      await api.call("PUT /api/v1/promotions/uploads/{id}", { params: { id }, file });
      setList((old) => old.map((one) => (one.id === id ? { ...one, sent: true } : one)));
    } catch (error) {
      remove(id);
      setFault(faultText(error));
    }
  };

  return {
    list,
    fault,
    underWay: list.some(({ sent }) => !sent),
    sentIds: list.filter(({ sent }) => sent).map(({ id }) => id),
    async choose(files) {
      const stillAsks = askerNow();
      const { taken, fault: left } = await choosePictures(files, list.length);
      setFault(left === null ? "" : t(FAULTS[left]));
      const chosen = taken.map((file) => {
        const url = URL.createObjectURL(file);
        urls.current.push(url);
        return { id: freshId("upload", api.serverNow()), url, sent: false, file };
      });
      setList((old) => [...old, ...chosen.map(({ id, url, sent }) => ({ id, url, sent }))]);
      await Promise.all(chosen.map(({ id, file }) => send(id, file, stillAsks)));
    },
    remove(id) {
      setFault("");
      remove(id);
    },
    clear() {
      forget(urls.current);
      setList([]);
      setFault("");
    },
  };
}

/** Frees what the page keeps of the files. */
function forget(urls: string[]): void {
  for (const url of urls.splice(0)) URL.revokeObjectURL(url);
}
