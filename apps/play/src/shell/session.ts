export * from "@perya/client/session";
