/**
 * Takes the place of `shell/text.ts`, since the build makes the catalogues of texts: a text is its
 * id, and the language is English.
 */

export const currentLanguage = () => "EN";

export const textOf = (id: string) => id;

export const useText = () => ({
  ...{ t: textOf, language: "EN", tag: "en", number: String, time: String, when: String },
});
