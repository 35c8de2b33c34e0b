import { api } from "../../shell/server.ts";
import { useCountdown } from "./use-countdown.ts";

/** `2:05`, `11:07:30`: the time left until an instant of the server's clock. */
export function Countdown({ until }: { until: number }) {
  const left = useCountdown(until, api.serverNow);
  return (
    <span role="timer" data-testid="countdown">
      {clockOf(left)}
    </span>
  );
}

function clockOf(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`;
}
