import { startPerya } from "./perya.ts";

/** One server for all journeys; those that kill it start one of their own. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const perya = await startPerya();
  process.env.PERYA_URL = perya.url;
  return () => perya.stop();
}
