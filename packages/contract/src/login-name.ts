/**
 * What log-in and recovery accept as a name, in the form and on the server. A new name must match
 * it besides its brand's pattern, so that its owner can log in. Each character has one spelling
 * only, so names need no normalisation before they are compared.
 */
export const LOGIN_USERNAME = /^[A-Za-z0-9_.@+-]{3,32}$/;
