// The library's own worker: it returns the number that solves a challenge, or null.
import "altcha-lib/v1/worker";
