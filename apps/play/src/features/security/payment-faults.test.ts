import { describe, expect, it } from "vitest";
import { paymentFaults } from "./payment-faults.ts";

describe("a payment password", () => {
  it("is six digits, twice", () => {
    expect(paymentFaults({ paymentPassword: "271935", again: "271935" })).toEqual({
      paymentPassword: [],
      again: [],
    });
  });

  it.each(["", "27193", "2719356", "27193a"])("is not %j", (paymentPassword) => {
    const { paymentPassword: faults } = paymentFaults({ paymentPassword, again: paymentPassword });
    expect(faults).toEqual([{ id: "auth.paymentPassword_format" }]);
  });

  it("must be given again, and the same", () => {
    const given = (again: string) => paymentFaults({ paymentPassword: "271935", again }).again;
    expect(given("")).toEqual([{ id: "auth.confirm_required" }]);
    expect(given("271936")).toEqual([{ id: "auth.confirm_mismatch" }]);
  });
});
