/** Stands in front of an object: some members are replaced, and all others are those of the object. */

interface Passing {
  /** Called when a member of the object itself is read. */
  asked?: (member: string | symbol) => void
  /** Replaces what a method of the object returns. */
  returned?: (value: unknown) => unknown
}

/**
 * Returns an object with the members of `own` instead of those of the object. Methods run on the object, so they may use
 * private fields.
 * @param target returns the object, which may become another one
 */
export function overlay<T extends object>(target: () => T, own: Partial<T>, { asked, returned }: Passing = {}): T {
  return new Proxy<T>(Object.create(null), {
    has: (_, member) => member in own || member in target(),
    set: (_, member, value) => Reflect.set(own, member, value),
    get(_, member) {
      if (Object.hasOwn(own, member)) return Reflect.get(own, member)
      const object = target()
      // For example `then`, which `await` looks for.
      if (!(member in object)) return undefined
      asked?.(member)
      const value: unknown = Reflect.get(object, member)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(value, object, args)
        return returned ? returned(result) : result
      }
    },
  })
}
