/**
 * Keeps this process from sleeping until the returned function is called: waking a sleeping process costs
 * whoever sends to it, and a slower server, which lets it sleep more often, would pay more for it.
 */
export function stayAwake(): () => void {
  let isOver = false;
  const spin = () => {
    if (!isOver) setImmediate(spin);
  };
  spin();
  return () => {
    isOver = true;
  };
}
