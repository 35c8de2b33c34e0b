/** The bundler turns a CSS Module into a map from local to hashed class names. */
declare module "*.module.css" {
  const classes: { readonly [name: string]: string };
  export default classes;
}

declare module "*.css";
