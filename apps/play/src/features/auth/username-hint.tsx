/** Names the password's owner, for password managers alone. */
export function UsernameHint({ name }: { name: string }) {
  return (
    <input
      className="visually-hidden"
      type="text"
      autoComplete="username"
      value={name}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}
