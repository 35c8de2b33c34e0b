import type { ReactNode } from "react";

/** What a primitive puts on the link that its caller renders with the router of the app. */
export interface LinkRenderProps {
  className: string;
  children: ReactNode;
  "aria-current"?: "page";
}

export type RenderLink = (props: LinkRenderProps) => ReactNode;
