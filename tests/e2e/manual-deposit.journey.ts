import { createHash, randomBytes } from "node:crypto";
import { createCanvas } from "@napi-rs/canvas";
import { seriousFaults } from "./axe.ts";
import { inDatabase } from "./database.ts";
import { expect, test } from "./journey.ts";
import { freshName, shownBalance } from "./player.ts";
import { inLanguage } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");

test.beforeEach(({ page }) => inLanguage(page, "EN"));

test("a player pays by hand, uploads the receipt, and is credited the amount that an operator found", async ({
  page,
  baseURL,
}) => {
  await newMember(page, freshName());
  await page.goto("/m/voucherCenter");
  await page.getByRole("radio", { name: /Bank transfer/ }).check();
  await page.getByLabel(t("cashier.amount"), { exact: true }).fill("500");
  await page.getByRole("button", { name: t("cashier.pay") }).click();
  await page.waitForURL(/\/m\/voucherCenter\?deposit=dep_/);

  // A player who left the page to pay comes back to the deposit from the list.
  await page.goto("/m/voucherCenter");
  await page.getByRole("link", { name: t("cashier.state_created") }).click();
  await expect(page).toHaveURL(/\?deposit=dep_/);

  const panel = page.getByRole("region", { name: t("manual.title") });
  await expect(panel).toContainText("0000 1234 5678");
  expect(await seriousFaults(page)).toEqual([]);
  await expect(panel).toContainText(/[ACDEFGHJKMNPQRTVWXY3479]{7}/);
  await panel.getByRole("button", { name: t("manual.i_paid") }).click();
  await expect(panel.getByText(t("manual.receipt_needed"))).toBeVisible();
  await expect(panel.getByText(t("manual.transfer_number_format"))).toBeVisible();

  const picture = { mimeType: "image/png", buffer: createCanvas(40, 60).toBuffer("image/png") };
  const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no picture") };
  const receipt = panel.locator('input[type="file"]');
  await receipt.setInputFiles(notes);
  await expect(panel.getByText(t("activity.picture_kind"))).toBeVisible();
  await receipt.setInputFiles({ name: "receipt.png", ...picture });
  await expect(panel.getByText(t("manual.receipt_sent"))).toBeVisible();
  await panel.getByLabel(t("manual.transfer_number")).fill(`GC ${Date.now()}`);
  await panel.getByRole("button", { name: t("manual.i_paid") }).click();
  await expect(page.getByText(t("manual.looking"))).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  // The state is there again after a reload.
  await page.reload();
  await expect(page.getByText(t("manual.looking"))).toBeVisible();

  const id = new URL(page.url()).searchParams.get("deposit");
  const confirmed = await fetch(`${baseURL}/api/v1/operator/deposits/${id}/confirm`, {
    method: "POST",
    headers: { authorization: `Bearer ${await employ()}`, "content-type": "application/json" },
    body: JSON.stringify({
      received: { minor: "49000", currency: "PHP" },
      bankReference: `ST ${Date.now()}`,
    }),
  });
  expect(confirmed.status).toBe(200);
  const status = page.getByRole("region", { name: t("cashier.deposit"), exact: true });
  await expect(status).toHaveAttribute("data-state", "paid", { timeout: 20_000 });
  await expect(status).toContainText(t("cashier.received", { amount: "₱490.00" }));
  await expect.poll(() => shownBalance(page), { timeout: 15_000 }).toBe(49_000);
});

/** An operator who may decide on deposits; answers the token. */
async function employ(): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const hash = createHash("sha256").update(token).digest();
  const id = `opr_${randomBytes(13).toString("hex").slice(0, 26)}`;
  await inDatabase((client) =>
    client.query(
      `INSERT INTO operators (id, merchant_id, name, name_key, token_hash, permissions, created_at,
         expires_at)
       VALUES ($1, 'mer_demo', $1, replace($1, '_', ''), $2, '{deposits}', now(),
         now() + interval '1 hour')`,
      [id, hash],
    ),
  );
  return token;
}
