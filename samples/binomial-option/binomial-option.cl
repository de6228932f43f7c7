/* The price of a European call in the binomial model (Cox, Ross, Rubinstein,
 * 1979). A work-group prices one option: work-item i holds the value of node i
 * of the current step; steps go backwards from expiry. */
#define RISK_FREE 0.02f
#define VOLATILITY 0.30f

kernel void binomial_option(global const float4 *options, global float *prices,
			    uint steps, local float *values)
{
	uint id = get_local_id(0), group = get_group_id(0);
	/* Spot price, strike price and years to expiry. */
	float4 option = options[group];
	float dt = option.z / (float)steps;
	float jump = VOLATILITY * sqrt(dt);
	float up = exp(jump), down = 1.0f / up;
	float growth = exp(RISK_FREE * dt);
	float up_weight = (growth - down) / (up - down) / growth;
	float down_weight = 1.0f / growth - up_weight;
	float price = option.x * exp(jump * (2.0f * (float)id - (float)steps));

	values[id] = max(price - option.y, 0.0f);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = steps; step > 0; step--) {
		float value = 0.0f;

		if (id < step)
			value = up_weight * values[id + 1] +
				down_weight * values[id];
		barrier(CLK_LOCAL_MEM_FENCE);
		if (id < step)
			values[id] = value;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (id == 0)
		prices[group] = values[0];
}
