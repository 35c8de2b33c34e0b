import type { ReactNode } from "react";

/** The props of a primitive for the link that its caller renders with the app's router. */
export interface LinkRenderProps {
  className: string;
  children: ReactNode;
  "aria-current"?: "page";
}

export type RenderLink = (props: LinkRenderProps) => ReactNode;
