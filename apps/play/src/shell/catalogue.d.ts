declare module "virtual:catalogue/*" {
  const messages: import("@lingui/core").Messages;
  export default messages;
}
