/** Where identity lies, from the repository's top folder. */
export const IDENTITY = "apps/server/src/modules/identity/";

/** Its rooms, the lowest first (decision 62). A room uses its own files and those of lower rooms. */
export const IDENTITY_ROOMS = [
  ...["members", "defence", "sessions", "factors"],
  ...["logins", "accounts", "external", "security"],
];

/** How high a file of identity lies; its own files, which join the rooms, lie above all. */
export function heightInIdentity(path: string): number {
  const room = path.slice(IDENTITY.length).split("/")[0] ?? "";
  const height = IDENTITY_ROOMS.indexOf(room);
  return height === -1 ? IDENTITY_ROOMS.length : height;
}
