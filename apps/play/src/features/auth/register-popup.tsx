import { useQuery } from "@tanstack/react-query";
import { registerSettings } from "../../parts/account/register-settings.ts";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import type { PopupProps } from "../../shell/popups.ts";
import { Popup } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { registerMethods } from "./register-fields.ts";
import { RegisterForm } from "./register-form.tsx";

/** Registration as the brand sets it: the form waits for the server's settings. */
export default function RegisterPopup({ open, close }: PopupProps) {
  const { t } = useText();
  const settings = useQuery(registerSettings);
  return (
    <Popup open={open} close={close} title={t("auth.register")}>
      {settings.data !== undefined && (
        <RegisterForm settings={settings.data} methods={registerMethods(settings.data)} />
      )}
      {!settings.isSuccess && <Unloaded query={settings} rows={5} />}
    </Popup>
  );
}
