const STORAGE_KEY = "MC_REMEMBERED_LOGIN";

interface RememberedLogin {
  readonly type: "username";
  readonly username: string;
}

export function rememberedUsername(): string | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "null");
    const known = typeof value === "object" && value !== null && "username" in value;
    return known && typeof value.username === "string" ? value.username : null;
  } catch {
    // Storage is forbidden or holds something else: there is nothing to fill in.
    return null;
  }
}

export function rememberUsername(username: string): void {
  const login: RememberedLogin = { type: "username", username };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(login));
  } catch {
    // Without storage the next log-in is typed in full.
  }
}

export function forgetUsername(): void {
  try {
    localStorage.removeItem(STORAGE_KEY);
  } catch {
    // Nothing was remembered then.
  }
}
