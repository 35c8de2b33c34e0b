/**
 * What log-in and recovery take for a name, in the form and at the server alike, and what a new
 * name is held to besides its brand's pattern, so that whoever registers can come in. Its signs are
 * spelled one way alone: nothing is to be normalised before names are compared.
 */
export const LOGIN_USERNAME = /^[A-Za-z0-9_.@+-]{3,32}$/;
