interface NumberedPage {
  readonly pageNum: number;
  readonly totalPages: number;
}

export const numberedPages = (firstPage: number) => ({
  initialPageParam: firstPage,
  getNextPageParam: ({ pageNum, totalPages }: NumberedPage) =>
    pageNum < totalPages ? pageNum + 1 : undefined,
});
