// Types of resolvers, the only way from a path parameter to a resource.

/** The input of a resolver. */
interface LoadInput<App, Actor, Parents> {
  app: App
  /** Null if the endpoint is public and the caller is not signed in. */
  actor: Actor | null
  /** The decoded parameter: 1 to `maxLength` characters of any kind except NUL. */
  id: string
  /** The resources of earlier parameters. */
  parents: Parents
}

/** Loads a resource from a path parameter. */
interface Resolver<App, Actor, As extends string, R, Parents extends object> {
  /** The name of the resource in the handler's context. */
  as: As
  /** Names of resources that must be loaded first. Checked at registration. */
  needs?: readonly (keyof Parents & string)[]
  /** Description for the OpenAPI document. */
  description?: string
  /** Maximum length of the parameter in characters. Default 256, or 4096 for the rest of a path. */
  maxLength?: number
  /** Returns the resource, or null if it does not exist or the actor may not see it. */
  load: (input: LoadInput<App, Actor, Parents>) => R | null | Promise<R | null>
}

// biome-ignore lint/suspicious/noExplicitAny: resolvers of every type are kept in one table
export type AnyResolver = Resolver<any, any, string, any, any>
/** Resolvers by parameter name. */
export type AnyResolvers = Readonly<Record<string, AnyResolver>>

/**
 * Returns the function that declares resolvers. The parents come first:
 * `const resolver = resolversOf<App, Actor>()`, then
 * `resolver<{space: Space}>()({as: 'changeRequest', needs: ['space'], load: ({app, parents, id}) => …})`.
 */
export function resolversOf<App, Actor>() {
  return <Parents extends object = Record<never, never>>() =>
    <const As extends string, R>(
      declared: Resolver<App, Actor, As, R, Parents>,
    ): Resolver<App, Actor, As, R, Parents> =>
      declared
}

/** Declares the table of resolvers: `defineResolvers({ spaceId: resolver()({…}), … })`. */
export const defineResolvers = <const T extends AnyResolvers>(resolvers: T): T => resolvers

type Bare<Name extends string> = Name extends `${infer N}*` ? N : Name
type Parameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Bare<Name> | Parameters<Rest>
  : never
type Aliased<Name, Aliases> = Name extends keyof Aliases ? Aliases[Name] : Name
type NameOf<R> = R extends { as: infer As extends string } ? As : never
type Loaded<R> = R extends { load: (input: never) => infer Result } ? NonNullable<Awaited<Result>> : never

/** The resources that a path loads, by their names in the handler's context. */
export type Resources<T extends AnyResolvers, Path extends string, Aliases> = {
  [P in Parameters<Path> as Aliased<P, Aliases> extends keyof T ? NameOf<T[Aliased<P, Aliases>]> : never]: Aliased<
    P,
    Aliases
  > extends keyof T
    ? Loaded<T[Aliased<P, Aliases>]>
    : never
}
