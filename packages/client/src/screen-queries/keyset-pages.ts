interface KeysetPage {
  readonly nextCursor: string | null;
}

export const keyset = {
  initialPageParam: "",
  getNextPageParam: (page: KeysetPage) => page.nextCursor ?? undefined,
};

export function cursor(pageParam: string) {
  return pageParam === "" ? {} : { cursor: pageParam };
}
