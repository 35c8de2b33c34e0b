/** What a launch tells the vendor. The token alone says who plays, and is good once. */
export interface Launch {
  readonly token: string;
  readonly gameId: string;
}
