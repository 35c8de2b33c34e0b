// The library's own worker: it answers the number that solves a challenge, or null.
import "altcha-lib/v1/worker";
