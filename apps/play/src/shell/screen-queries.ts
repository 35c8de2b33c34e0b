import { createScreenQueries } from "@perya/client/screen-queries";
import { api, merchantCode } from "./server.ts";

/** The queries of single screens, which load with the first of them. */
export const screenQueries = createScreenQueries(api, merchantCode);
