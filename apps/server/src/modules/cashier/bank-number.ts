import { fieldRefusal, type Refusal } from "@perya/contract/refusal";
import { type Result, refuse } from "@perya/kernel/result";
import { isUniqueViolation } from "../../platform/postgres/violations.ts";

/** So many digits are a transfer's number by themselves, whatever words surround them. */
const NUMBER = /^[A-Z]*(?<digits>[0-9]{10,})[A-Z]*$/;

/** A bank's number in the form that we compare: without signs, spaces and words around it. */
export function bankKeyOf(reference: string): string {
  const plain = reference.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return NUMBER.exec(plain)?.groups?.digits ?? plain;
}

/** Refuses if the work writes a bank's number that another payment has. */
export async function unlessNumberTaken<Value>(
  work: () => Promise<Result<Value, Refusal>>,
): Promise<Result<Value, Refusal>> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) return refuse(fieldRefusal("bankReference", "taken"));
    throw error;
  }
}
