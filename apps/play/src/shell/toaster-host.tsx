import { toasterMounted } from "@perya/ui/notify";
import { Toaster, toast } from "@perya/ui/toast";
import { useEffect } from "react";
import { useText } from "./text.ts";

export default function ToasterHost() {
  const { t } = useText();
  useEffect(() => toasterMounted(toast), []);
  return <Toaster label={t("shell.toasts")} />;
}
