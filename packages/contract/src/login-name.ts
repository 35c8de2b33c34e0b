/**
 * What log-in and recovery take for a name, in the form and at the server alike. It is open to
 * every name that an account has ever had, so it is wider than what a brand lets a new one be called.
 */
export const LOGIN_USERNAME = /^[A-Za-z0-9_.@+-]{3,32}$/;
