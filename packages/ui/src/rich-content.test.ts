// @vitest-environment jsdom
/// <reference path="./css-modules.d.ts" />
import { describe, expect, it } from "vitest";
import { richFragment } from "./rich-content.tsx";

describe("an operator's text", () => {
  it("loses everything that could run, and keeps its text", () => {
    expect(shown('<p>Hi<script>alert(1)</script><img src="/a.png" onerror="alert(1)"></p>')).toBe(
      '<p>Hi<img src="/a.png" loading="lazy" decoding="async" alt=""></p>',
    );
    expect(shown('<a href="javascript:alert(1)">go</a>')).toBe("<a>go</a>");
    expect(shown('<a href=" java\nscript:alert(1)">go</a>')).toBe("<a>go</a>");
    expect(shown('<svg onload="alert(1)"><a href="/x">go</a></svg>')).not.toMatch(/svg|onload/);
    expect(shown('<iframe src="https://e.test"></iframe><form><input name="p">Hi</form>')).toBe(
      "Hi",
    );
    expect(shown("<style>body{display:none}</style><p>Hi</p>")).toBe("<p>Hi</p>");
    expect(shown('<p id="root" class="x" data-a="1">Hi</p>')).toBe("<p>Hi</p>");
  });

  it("[A9-09] has its sizes in pixels as hundredths of a rem, however deeply nested", () => {
    expect(shown('<span style="font-size:24px">Hi</span>')).toBe(
      '<span style="font-size: 0.24rem">Hi</span>',
    );
    expect(
      shown(
        '<p style="font-size: 15.5px; line-height: 30px"><b style="font-size:120%">' +
          '<i style="font-size:100PX">Hi</i></b></p>',
      ),
    ).toBe(
      '<p style="font-size: 0.155rem; line-height: 0.3rem"><b style="font-size: 120%">' +
        '<i style="font-size: 1rem">Hi</i></b></p>',
    );
    expect(shown('<font size="5"><font style="font-size:12px">Hi</font></font>')).toBe(
      '<font size="5"><font style="font-size: 0.12rem">Hi</font></font>',
    );
  });

  it("keeps the look of its text, and cannot leave its place", () => {
    expect(
      shown(
        '<p style="position:fixed;inset:0;color:red;background-image:url(https://e.test/x)">Hi</p>',
      ),
    ).toBe('<p style="color: red">Hi</p>');
    expect(shown('<p style="position:fixed">Hi</p>')).toBe("<p>Hi</p>");
  });

  it("opens other sites in a window without access to this one", () => {
    expect(shown('<a href="https://e.test/x" target="_self">go</a>')).toBe(
      '<a href="https://e.test/x" target="_blank" rel="noopener noreferrer nofollow">go</a>',
    );
    expect(shown('<a href="//e.test/x">go</a>')).toMatch(/target="_blank" rel="noopener/);
    expect(shown('<a href="/m/activity?id=1">go</a>')).toBe('<a href="/m/activity?id=1">go</a>');
  });
});

function shown(html: string): string {
  const place = document.createElement("div");
  place.append(richFragment(html));
  return place.innerHTML;
}
