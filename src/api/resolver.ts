/** What a resolver is asked. */
interface LoadInput<App, Actor, Parents> {
  app: App
  /** Null if the endpoint is public and nobody is signed in. */
  actor: Actor | null
  /** The decoded parameter: 1 to `maxLength` characters, no NUL, otherwise anything. */
  id: string
  /** What was loaded for the parameters before. */
  parents: Parents
}

/** The only way from a path parameter to a resource. */
interface Resolver<App, Actor, As extends string, R, Parents extends object> {
  /** The name of the resource in the handler's context. */
  as: As
  /** Names of resources that must have been loaded before; checked at registration. */
  needs?: readonly (keyof Parents & string)[]
  /** For the documentation. */
  description?: string
  /** Of the parameter, in characters. Default 256, 4096 for the rest of a path. */
  maxLength?: number
  /** The resource, or null if it does not exist or the actor may not see it. */
  load: (input: LoadInput<App, Actor, Parents>) => R | null | Promise<R | null>
}

// biome-ignore lint/suspicious/noExplicitAny: resolvers of every type are kept in one table
export type AnyResolver = Resolver<any, any, string, any, any>
/** Parameter name → how it is loaded. */
export type AnyResolvers = Readonly<Record<string, AnyResolver>>

/**
 * The function that declares resolvers, its parents first:
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

/** Names the table of resolvers: `defineResolvers({ spaceId: resolver()({…}), … })`. */
export const defineResolvers = <const T extends AnyResolvers>(resolvers: T): T => resolvers

type Bare<Name extends string> = Name extends `${infer N}*` ? N : Name
type Parameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Bare<Name> | Parameters<Rest>
  : never
type Aliased<Name, Aliases> = Name extends keyof Aliases ? Aliases[Name] : Name
type NameOf<R> = R extends { as: infer As extends string } ? As : never
type Loaded<R> = R extends { load: (input: never) => infer Result } ? NonNullable<Awaited<Result>> : never

/** The resources that a path loads, by the names under which its resolvers put them into the context. */
export type Resources<T extends AnyResolvers, Path extends string, Aliases> = {
  [P in Parameters<Path> as Aliased<P, Aliases> extends keyof T ? NameOf<T[Aliased<P, Aliases>]> : never]: Aliased<
    P,
    Aliases
  > extends keyof T
    ? Loaded<T[Aliased<P, Aliases>]>
    : never
}
