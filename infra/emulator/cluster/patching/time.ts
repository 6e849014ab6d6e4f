type Write = { readonly now: Date; readonly subresource: string | undefined };

/** As Kubernetes writes times: whole seconds. Who writes through `scale` leaves none. */
export function stampOf({ now, subresource }: Write): string | undefined {
  return subresource === 'scale' ? undefined : `${now.toISOString().slice(0, 19)}Z`;
}
