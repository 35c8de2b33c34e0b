import { FeatureGate } from "../../shell/screen-states.tsx";
import { Invitation } from "./invitation.tsx";

/** Share and earn, where the brand has it. */
export default function InviteScreen() {
  return (
    <FeatureGate feature="REFERRAL">
      <Invitation />
    </FeatureGate>
  );
}
